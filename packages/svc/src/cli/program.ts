import { ALL_COMMANDS } from './all-commands.js';
import { type HelpStyle, type Invocation, readCommandLine } from './command-line.js';
import { outlineOf } from './command-table.js';
import { EXIT } from './failures.js';
import { type Environment, type Streams, terminalOf } from './stream-terminal.js';
import type { Terminal } from './terminal.js';

/** Streams, variables and interruption of a run of `svc`, from its process. */
export interface Surroundings {
  readonly streams: Streams;
  readonly environment: Environment;
  /** Aborted when the command should end. */
  readonly interruption: AbortSignal;
  /** For a command that ends gracefully: aborted when it should end at once. */
  readonly hurry: () => AbortSignal;
}

/** `svc` without the parts that need a process: signals and an exit code. */
export class Program {
  private readonly terminal: Terminal;
  /** See {@link Command.failureCode}. */
  private failureCode: number | undefined;

  constructor(private readonly surroundings: Surroundings) {
    this.terminal = terminalOf(surroundings.streams, surroundings.environment);
  }

  /**
   * Runs one command line.
   *
   * @returns its exit code; undefined if it was interrupted and has no code for that; `left` if the person has left a question with Ctrl-C
   */
  async run(argv: readonly string[]): Promise<number | 'left' | undefined> {
    const { interruption } = this.surroundings;
    try {
      const invocation = await readCommandLine(argv, ALL_COMMANDS, helpStyle(this.terminal));
      this.failureCode = invocation?.command.failureCode;
      const code = invocation === undefined ? EXIT.done : await this.carryOut(invocation);
      return code ?? (interruption.aborted ? this.failureCode : EXIT.done);
    } catch (error) {
      if (interruption.aborted) return this.failureCode;
      return hasLeftQuestion(error) ? 'left' : this.report(error);
    }
  }

  /** Writes one line to standard error; the error's place only with the option for it. @returns the exit code */
  async report(error: unknown): Promise<number> {
    const { failureOf } = await import('./failure-report.js');
    const { exitCode, line } = failureOf(error);
    this.terminal.note(`${this.terminal.noteColors.red('Error:')} ${line}`);
    if (this.surroundings.environment.SVC_DEBUG && error instanceof Error)
      this.terminal.note(error.stack ?? '');
    return this.failureCode ?? exitCode;
  }

  private async carryOut(invocation: Invocation): Promise<number | void> {
    const { command, input, apiUrl, project, output, fields, jq } = invocation;
    const { environment, interruption: signal, hurry } = this.surroundings;
    const options = command.read(input);
    const view = {
      fields,
      jq: jq === undefined ? undefined : await (await import('./output/jq.js')).JqFilter.of(jq),
      form: ['yaml', 'name'].includes(output) ? (await import('./output/forms.js')).FORMS[output] : undefined,
    };
    const { createContext } = await import('./create-context.js');
    const context = await createContext({
      terminal: this.terminal,
      environment,
      apiUrl,
      project,
      output,
      view,
      replacesConfig: command.replacesConfig === true,
      signal,
      hurry,
      prompts: async () => (await import('./prompts.js')).createPrompts(signal),
      outline: () => outlineOf(ALL_COMMANDS),
    });
    const code = await command.run(options, context);
    await view.jq?.printed();
    return code;
  }
}

/** Returns true for the error that a question throws on Ctrl-C, which is an ordinary key during a question. */
function hasLeftQuestion(error: unknown): boolean {
  return error instanceof Error && ['ExitPromptError', 'AbortPromptError'].includes(error.name);
}

function helpStyle(terminal: Terminal): HelpStyle {
  return {
    width: Math.min(terminal.width ?? 100, 120),
    heading: (text) => terminal.colors.bold(text),
    write: (text) => terminal.print(text.replace(/\n$/, '')),
  };
}
