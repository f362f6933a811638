"""EchoMQ's recurring-job scheduler, run for real under a clock that the reader moves."""
