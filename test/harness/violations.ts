const unreported: Error[] = [];

/** A violation that fails the test in which it is found, even if the error is caught. */
export function violation(message: string): Error {
  const error = new Error(message);
  unreported.push(error);
  return error;
}

/** Violations found since the last call. */
export function takeViolations(): Error[] {
  return unreported.splice(0);
}
