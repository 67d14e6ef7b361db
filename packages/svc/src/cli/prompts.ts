import confirm from '@inquirer/confirm';
import input from '@inquirer/input';
import password from '@inquirer/password';

/** Questions to the person at the terminal, on standard error: standard output belongs to the command's result. */
export interface Prompts {
  text(question: string): Promise<string>;
  /** Asks without showing the input. */
  secret(question: string): Promise<string>;
  /** Asks for yes or no; the default is no. */
  confirm(question: string): Promise<boolean>;
}

interface PromptContext {
  readonly output: NodeJS.WritableStream;
  readonly signal: AbortSignal;
}

/** @param signal ends a question, as Ctrl-C and Ctrl-D do */
export function createPrompts(signal: AbortSignal): Prompts {
  return {
    text: (message) => asked(signal, (context) => input({ message, required: true }, context)),
    secret: (message) => asked(signal, (context) => password({ message, mask: false }, context)),
    confirm: (message) => asked(signal, (context) => confirm({ message, default: false }, context)),
  };
}

/** Ctrl-D closes the line without an answer or an event, so the question would stay open without this. */
async function asked<Answer>(
  signal: AbortSignal,
  question: (context: PromptContext) => Promise<Answer>,
): Promise<Answer> {
  const closed = new AbortController();
  const onPause = () => closed.abort();
  process.stdin.on('pause', onPause);
  try {
    return await question({ output: process.stderr, signal: AbortSignal.any([signal, closed.signal]) });
  } finally {
    process.stdin.off('pause', onPause);
  }
}
