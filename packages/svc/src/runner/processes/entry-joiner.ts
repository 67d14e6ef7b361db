import { isJson } from './output-line.js';

/** Maximum length of an entry in characters; a longer trace becomes several entries. */
export const LONGEST_ENTRY = 32 * 1024;
/** Time that the last line waits for the next one, because programs write a trace line by line; milliseconds. */
const PATIENCE_MS = 100;
/** Maximum time before an entry is passed on, for a program that writes indented lines without an end; milliseconds. */
const LONGEST_WAIT_MS = 2_000;

/** Lines that only stack traces have: of JavaScript, Java, .NET, Python, Ruby, Rust. */
const TRACE_LINE =
  /^\s+(?:at |from |File "|\.\.\. \d+ |\d+: |Caused by|Suppressed: )|^(?:Caused by: |\.\.\. \d+ more)/;
const PYTHON_HEAD = /^Traceback \(most recent call last\):/;
const PYTHON_GROUP = /^\s+\+ Exception Group Traceback \(most recent call last\):/;
const GO_HEAD = /^goroutine \d+ \[/;
const HEAD = /^(?:stack backtrace:|Stack trace:)/i;
const INDENTED = /^\s+\S/;
/** End of the properties that Node.js prints after the trace of an error. */
const CLOSING = /^\s*[}\]]+[;,]?$/;

/**
 * `none`: only a line of a trace continues the entry. `trace`: indented lines do, too. `python`: also the first line
 * that is not indented, which is the error. `go`: all lines up to an empty one.
 */
type Mode = 'none' | 'trace' | 'python' | 'go';

/** Joins the lines of a stack trace into one entry, within bounds of size and time. */
export class EntryJoiner {
  private lines: string[] = [];
  private length = 0;
  private mode: Mode = 'none';
  /** Milliseconds since 1970. */
  private begunAt = 0;
  /** By `performance.now()`. */
  private longestUntil = 0;
  private timer: NodeJS.Timeout | undefined;

  /** @param onEntry called with one line or more, and the time of the first one; milliseconds since 1970 */
  constructor(private readonly onEntry: (entry: string, at: number) => void) {}

  push(line: string): void {
    if (!this.takes(line)) this.flush();
    if (this.lines.length === 0) this.begin(line);
    else this.mode = this.modeAfter(line);
    this.lines.push(line);
    this.length += line.length + 1;
    clearTimeout(this.timer);
    if (this.mode === 'none' && this.lines.length > 1) this.flush();
    else this.timer = setTimeout(() => this.flush(), PATIENCE_MS);
  }

  /** Passes the waiting entry on. */
  flush(): void {
    clearTimeout(this.timer);
    if (this.lines.length === 0) return;
    const entry = this.lines.join('\n');
    this.lines = [];
    this.length = 0;
    this.onEntry(entry, this.begunAt);
  }

  private begin(line: string): void {
    this.begunAt = Date.now();
    this.longestUntil = performance.now() + LONGEST_WAIT_MS;
    if (PYTHON_HEAD.test(line)) this.mode = 'python';
    else if (GO_HEAD.test(line)) this.mode = 'go';
    else this.mode = HEAD.test(line) || PYTHON_GROUP.test(line) ? 'trace' : 'none';
  }

  private takes(line: string): boolean {
    if (this.lines.length === 0) return false;
    // a line in JSON contains its trace, if any
    if (this.lines.length === 1 && isJson(this.lines[0]!)) return false;
    if (this.length + line.length > LONGEST_ENTRY || performance.now() > this.longestUntil) return false;
    if (TRACE_LINE.test(line)) return true;
    if (this.mode === 'none' || line.trim() === '') return false;
    return this.mode !== 'trace' || INDENTED.test(line) || CLOSING.test(line);
  }

  private modeAfter(line: string): Mode {
    if (this.mode === 'python') return INDENTED.test(line) ? 'python' : 'none';
    return this.mode === 'none' ? 'trace' : this.mode;
  }
}
