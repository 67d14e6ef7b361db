import { parseLargeNumbersAsText } from '@agent-control-plane/client/internal/kept-numbers';

export type EditedArgs =
  { readonly value: unknown; readonly problem: null } | { readonly value: null; readonly problem: string };

/** The arguments that a person has written in place of others. @param text valid JSON */
export function editedArgs(text: string, before: unknown): EditedArgs {
  const value: unknown = JSON.parse(text);
  const json = JSON.stringify(value);
  if (json !== JSON.stringify(parseLargeNumbersAsText(text)))
    return problem(
      'A number has too many digits to be kept exactly: write it as a string, in double quotes.',
    );
  if (value === null) return problem('null is not allowed here: reject the request instead.');
  if (json === JSON.stringify(before)) return problem('Nothing has changed yet.');
  return { value, problem: null };
}

const problem = (text: string): EditedArgs => ({ value: null, problem: text });
