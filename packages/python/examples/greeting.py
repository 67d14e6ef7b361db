import logging


def greet(name: str) -> None:
    logging.getLogger("greeting").info("Hello, %s", name)
