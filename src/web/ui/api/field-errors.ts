import { ApiError } from './request.js';

export interface FieldErrors {
  /** Messages by field. */
  readonly fields: Record<string, string>;
  /** Messages about none of the fields. */
  readonly rest: readonly string[];
}

/**
 * Assigns the messages of a 422 to the fields of a form. Its messages begin with the property's name
 * (`name must be shorter than ...`, `config.command ...`).
 */
export function fieldErrors(error: unknown, names: readonly string[]): FieldErrors {
  if (!(error instanceof ApiError) || error.status !== 422) {
    return { fields: {}, rest: error instanceof Error ? [error.message] : [] };
  }
  const fields: Record<string, string> = {};
  const rest: string[] = [];
  for (const problem of error.problems) {
    const name = names.find((it) => new RegExp(`^(each value in )?${it}\\b`).test(problem));
    if (name === undefined) rest.push(problem);
    else fields[name] = fields[name] === undefined ? problem : `${fields[name]}; ${problem}`;
  }
  return { fields, rest };
}
