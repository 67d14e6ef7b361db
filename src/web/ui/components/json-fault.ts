/** Position and message of a JSON syntax error; line and column count from 1, as in editors. */
export interface JsonFault {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

class Fault extends Error {
  constructor(
    readonly offset: number,
    message: string,
  ) {
    super(message);
  }
}

const SPACE = /[ \t\n\r]*/y;
/** A JSON string: characters from the space on except `"` and `\`, or escapes. */
const STRING = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y;
const SCALAR = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;
const WORD = /[\w.+-]+/y;

/** Scans JSON to find the position of an error, because engines report it differently or not at all. */
class Scanner {
  private offset = 0;

  constructor(private readonly text: string) {}

  document(): void {
    this.value();
    this.space();
    if (this.offset < this.text.length) throw this.fault('Unexpected text after the value');
  }

  private value(): void {
    this.space();
    const next = this.text[this.offset];
    if (next === '{') return this.members('}', () => this.member());
    if (next === '[') return this.members(']', () => this.value());
    if (next === '"') return this.string();
    if (this.take(SCALAR)) return;
    if (next === undefined) throw this.fault('The text ends where a value should be');
    const word = this.take(WORD);
    if (word === undefined) throw this.fault(`Expected a value, not ${JSON.stringify(next)}`);
    this.offset -= word.length;
    throw this.fault(`${word} is not a value: strings need double quotes`);
  }

  private members(end: '}' | ']', one: () => void): void {
    this.offset += 1;
    this.space();
    if (this.skip(end)) return;
    for (;;) {
      one();
      this.space();
      if (this.skip(end)) return;
      if (!this.skip(',')) throw this.fault(`Expected "," or "${end}"`);
      this.space();
      if (this.text[this.offset] === end) throw this.fault(`A "," may not stand before "${end}"`);
    }
  }

  private member(): void {
    this.space();
    if (this.text[this.offset] !== '"') throw this.fault('Expected a property name in double quotes');
    this.string();
    this.space();
    if (!this.skip(':')) throw this.fault('Expected ":" after the property name');
    this.value();
  }

  private string(): void {
    if (!this.take(STRING)) {
      throw this.fault('This string is not closed, or contains a line break or an invalid escape');
    }
  }

  private space(): void {
    this.take(SPACE);
  }

  private skip(character: string): boolean {
    if (this.text[this.offset] !== character) return false;
    this.offset += 1;
    return true;
  }

  private take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.offset;
    const found = pattern.exec(this.text)?.[0];
    this.offset += found?.length ?? 0;
    return found;
  }

  private fault(message: string): Fault {
    return new Fault(this.offset, message);
  }
}

/** Finds the first syntax error of a JSON document; null: there is none. */
export function findJsonFault(text: string): JsonFault | null {
  try {
    JSON.parse(text);
    return null;
  } catch {
    return locate(text);
  }
}

function locate(text: string): JsonFault {
  try {
    new Scanner(text).document();
  } catch (error) {
    if (error instanceof Fault) {
      const before = text.slice(0, error.offset).split('\n');
      return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, message: error.message };
    }
  }
  // the nesting exceeds the stack
  return { line: 1, column: 1, message: 'This is not valid JSON' };
}
