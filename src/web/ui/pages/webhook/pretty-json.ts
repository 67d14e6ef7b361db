import { indentedJson } from '@agent-control-plane/client/internal/kept-numbers';

/** Indents a body that is JSON; other text is unchanged. */
export function prettyJson(text: string): string {
  try {
    return indentedJson(text);
  } catch {
    return text;
  }
}
