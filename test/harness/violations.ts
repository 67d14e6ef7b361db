const unreported: Error[] = [];

/** Something that must never happen, whoever is listening: the test in which it is found fails, even if nobody throws it. */
export function violation(message: string): Error {
  const error = new Error(message);
  unreported.push(error);
  return error;
}

/** Violations found since the last call. */
export function takeViolations(): Error[] {
  return unreported.splice(0);
}
