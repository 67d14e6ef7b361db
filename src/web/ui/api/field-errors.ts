import { ApiError } from './request.js';

export interface FieldErrors {
  /** Messages by field. */
  readonly fields: Record<string, string>;
  /** Messages about none of the fields. */
  readonly rest: readonly string[];
}

/** Assigns the messages of a 422 to the fields of a form, by the path that the service gives for each (`name`, `config.env.A`). */
export function fieldErrors(error: unknown, names: readonly string[]): FieldErrors {
  if (!(error instanceof ApiError))
    return { fields: {}, rest: error instanceof Error ? [error.message] : [] };
  const fields: Record<string, string> = {};
  const shown = new Set<string>();
  for (const { field, message } of error.errors) {
    const name = names.find((it) => field?.split('.', 1)[0] === it);
    if (name === undefined) continue;
    fields[name] = fields[name] === undefined ? message : `${fields[name]}; ${message}`;
    shown.add(message);
  }
  return { fields, rest: error.problems.filter((problem) => !shown.has(problem)) };
}
