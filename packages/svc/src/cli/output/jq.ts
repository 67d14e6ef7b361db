import jqWasm from 'jq-wasm';
import { CommandFailedError, UsageError } from '../failures.js';

/** An expression of jq. Strings are printed as they are, everything else as one line of JSON. */
export class JqFilter {
  /** Documents are printed one after the other. */
  private last: Promise<void> = Promise.resolve();

  private constructor(private readonly expression: string) {}

  /** @throws UsageError for an expression that is none */
  static async of(expression: string): Promise<JqFilter> {
    const filter = new JqFilter(expression);
    try {
      // without a document the expression is only compiled
      await filter.run('');
    } catch (error) {
      throw new UsageError(`--jq is not an expression of jq: ${reasonOf(error)}`);
    }
    return filter;
  }

  /** Prints jq's output for a document, after that for the documents before. Failures come with {@link printed}. */
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

/** jq's first line, without its beginning. */
function reasonOf(error: unknown): string {
  const [line = ''] = (error as Error).message.split('\n');
  return line.replace(/^(Failed to execute raw query: )?(jq: )?(error( \(at [^)]*\))?: )?/, '').trim();
}
