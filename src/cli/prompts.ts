import { confirm, input, password } from '@inquirer/prompts';

/** Questions to the person at the terminal, on standard error: standard output is the command's own. */
export interface Prompts {
  text(question: string): Promise<string>;
  /** Not shown while it is typed. */
  secret(question: string): Promise<string>;
  /** No, unless the person says otherwise. */
  confirm(question: string): Promise<boolean>;
}

/** @param signal ends a question, as Ctrl-C does */
export function createPrompts(signal: AbortSignal): Prompts {
  const context = { output: process.stderr, signal };
  return {
    text: (message) => input({ message, required: true }, context),
    secret: (message) => password({ message, mask: false }, context),
    confirm: (message) => confirm({ message, default: false }, context),
  };
}
