import jqWasm from 'jq-wasm';
import { CommandFailedError, UsageError } from '../failures.js';

/** An expression of jq. Strings are printed without quotes, other values as one line of JSON. */
export class JqFilter {
  /** The documents printed so far: they are printed one after the other. */
  private last: Promise<void> = Promise.resolve();

  private constructor(private readonly expression: string) {}

  /** @throws UsageError for an invalid expression */
  static async of(expression: string): Promise<JqFilter> {
    const filter = new JqFilter(expression);
    try {
      // without a document the expression is only compiled
      await filter.run('');
    } catch (error) {
      throw new UsageError(`--jq is not a valid jq expression: ${reasonOf(error)}`);
    }
    return filter;
  }

  /** Prints jq's output for a document, after the earlier documents. {@link printed} rejects with errors. */
  print(json: string, print: (text: string) => void): void {
    this.last = this.last.then(async () => {
      const text = await this.run(json).catch((error: unknown) => {
        throw new CommandFailedError(`--jq failed: ${reasonOf(error)}`);
      });
      if (text !== '') print(text);
    });
  }

  /** Resolves when everything has been printed. @throws CommandFailedError */
  printed(): Promise<void> {
    return this.last;
  }

  private async run(json: string): Promise<string> {
    return (await jqWasm.raw(json, this.expression, ['-r', '-c'])).replace(/\n$/, '');
  }
}

/** The first line of jq's message, without its prefix. */
function reasonOf(error: unknown): string {
  const [line = ''] = (error as Error).message.split('\n');
  return line.replace(/^(Failed to execute raw query: )?(jq: )?(error( \(at [^)]*\))?: )?/, '').trim();
}
