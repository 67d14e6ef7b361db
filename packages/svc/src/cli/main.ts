import { constants } from 'node:os';
import { ALL_COMMANDS } from './all-commands.js';
import { type HelpStyle, type Invocation, readCommandLine } from './command-line.js';
import { outlineOf } from './command-table.js';
import { EXIT } from './failures.js';
import { processTerminal } from './process-terminal.js';

const terminal = processTerminal(process.env);
const interruption = new AbortController();
let interruptedBy: NodeJS.Signals | undefined;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  // once: a second one ends the process at once, as it would without this
  process.once(signal, () => {
    interruptedBy ??= signal;
    interruption.abort();
  });
}

// whoever reads has had enough, as `head` does: what still goes on ends, and nothing is wrong
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    interruption.abort();
  });
}

// no stack, whatever happens
process.on('uncaughtException', (error) => void report(error).then((code) => process.exit(code)));

process.exitCode = await main(process.argv.slice(2));

async function main(argv: readonly string[]): Promise<number> {
  try {
    const invocation = await readCommandLine(argv, ALL_COMMANDS, helpStyle());
    const code = invocation === undefined ? EXIT.done : await run(invocation);
    return code ?? ending();
  } catch (error) {
    if (interruption.signal.aborted) return ending();
    return hasLeftQuestion(error) ? codeOf('SIGINT') : report(error);
  }
}

/** The exit code of what has ended without an error of its own. */
function ending(): number {
  return interruptedBy === undefined ? EXIT.done : codeOf(interruptedBy);
}

async function run({ command, input, apiUrl, output, fields, jq }: Invocation): Promise<number | void> {
  const options = command.read(input);
  const view = {
    fields,
    jq: jq === undefined ? undefined : await (await import('./output/jq.js')).JqFilter.of(jq),
  };
  const { createContext } = await import('./create-context.js');
  const context = await createContext({
    terminal,
    environment: process.env,
    apiUrl,
    output,
    view,
    replacesConfig: command.replacesConfig === true,
    signal: interruption.signal,
    prompts: async () => (await import('./prompts.js')).createPrompts(interruption.signal),
    outline: () => outlineOf(ALL_COMMANDS),
  });
  const code = await command.run(options, context);
  await view.jq?.printed();
  return code;
}

/** While a question is asked, Ctrl-C is a key like others, and the question ends with this. */
function hasLeftQuestion(error: unknown): boolean {
  return error instanceof Error && ['ExitPromptError', 'AbortPromptError'].includes(error.name);
}

/** One line on standard error; where it happened only for who asks. @returns the exit code */
async function report(error: unknown): Promise<number> {
  const { failureOf } = await import('./failure-report.js');
  const { exitCode, line } = failureOf(error);
  terminal.note(`${terminal.noteColors.red('Error:')} ${line}`);
  if (process.env.SVC_DEBUG && error instanceof Error) terminal.note(error.stack ?? '');
  return exitCode;
}

function helpStyle(): HelpStyle {
  return {
    width: Math.min(terminal.width ?? 100, 120),
    heading: (text) => terminal.colors.bold(text),
    write: (text) => terminal.print(text.replace(/\n$/, '')),
  };
}

/** As shells say it: 130 for SIGINT. */
function codeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}
