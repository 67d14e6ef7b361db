/** Margin that Python draws around the traces of an exception group. */
const MARGIN = /^\s*[|+](?: |-[-+ \d]*$)/;
const PYTHON_HEAD = /^(?:Exception Group )?Traceback \(most recent call last\):/;
/** The cause below an error: of Java and Kotlin, and of Node.js. */
const CAUSE = /^Caused by: (?=\S)|^\s+\[cause\]: (?=[\w.$]*(?:Error|Exception)\b)/;
const GO_PANIC = /^\s*(?:panic|fatal error): /;
const FRAME = /^\s+at /;
const ERROR_NAME = /^(?:Uncaught )?[\w.$]*(?:Error|Exception)\b/;
const THREAD = /^Exception in thread ".*?" /;
/** Lines around an error that say nothing of it: of Node.js, Go and Rust. */
const NO_REASON =
  /^(?:Node\.js v\d+\.|goroutine \d+ \[|exit status \d+$|stack backtrace:|note: run with `RUST_BACKTRACE|thread '.*' panicked at .*:$)/;

/**
 * The line of an output that says what went wrong: of a stack trace that of its exception, and the deepest cause where it names any;
 * else the first line. The client library has the same function, because packages are apart from the service; a test compares the two. Pure.
 *
 * @returns undefined if no line says it
 */
export function errorLineOf(output: string): string | undefined {
  const lines = output
    .split('\n')
    .map((line) => line.trimEnd().replace(MARGIN, ''))
    .filter((line) => line !== '');
  const head = lines.findLastIndex((line) => PYTHON_HEAD.test(line));
  if (head !== -1) return ofPython(lines.slice(head + 1));
  const cause = lines.findLast((line) => CAUSE.test(line));
  if (cause !== undefined) return cause.replace(CAUSE, '').replace(/ \{$/, '');
  const panic = lines.findLast((line) => GO_PANIC.test(line));
  if (panic !== undefined) return panic.trim();
  const frame = lines.findIndex((line) => FRAME.test(line));
  const error = lines.slice(0, Math.max(0, frame)).find((line) => ERROR_NAME.test(line));
  return (error ?? lines.find((line) => !NO_REASON.test(line)))?.replace(THREAD, '').trim();
}

/** A trace that was cut off has no exception: its last line is the statement that failed. */
function ofPython(lines: readonly string[]): string | undefined {
  return (lines.find((line) => !/^\s/.test(line)) ?? lines.at(-1))?.trim();
}
