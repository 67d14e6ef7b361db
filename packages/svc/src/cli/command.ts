import type { CommandDeclaration } from './command-declaration.js';
import type { Context } from './context.js';

/** One command of `svc`. Its name and summary stand in `all-commands.ts`. */
export interface Command<Options = unknown> extends CommandDeclaration {
  /** Goes on where the config file can't be used: the file is moved aside before. */
  readonly replacesConfig?: true;
  /** From the command line to what `run` needs; asks nothing and nobody. @throws UsageError */
  read(input: CommandInput): Options;
  /**
   * Does the work.
   *
   * @returns the exit code; nothing for 0
   * @throws anything: `failures.ts` says which exit code and which line it becomes
   */
  run(options: Options, context: Context): Promise<number | void>;
}

/** Keeps the type of the options from `read` to `run`. */
export function defineCommand<Options>(command: Command<Options>): Command<Options> {
  return command;
}

/**
 * The arguments and options of a command line, checked against the command's arguments and options.
 * Asking for one that the command has not declared is a mistake in the program.
 */
export class CommandInput {
  constructor(
    private readonly argumentsByName: ReadonlyMap<string, unknown>,
    /** By their long names: `agent-id`. */
    private readonly optionsByName: ReadonlyMap<string, unknown>,
  ) {}

  /** An argument that must be there. */
  argument(name: string): string {
    return this.optionalArgument<string>(name)!;
  }

  optionalArgument<Value = string>(name: string): Value | undefined {
    return declared(this.argumentsByName, name) as Value | undefined;
  }

  text(option: string): string | undefined {
    return this.value<string>(option);
  }

  number(option: string): number | undefined {
    return this.value<number>(option);
  }

  flag(option: string): boolean {
    return this.value<boolean>(option) ?? false;
  }

  /** All values of an option that may be repeated; nothing when it was not given. */
  list(option: string): string[] | undefined {
    return this.value<string[]>(option);
  }

  /** Result of the option's `parse`. */
  value<Value>(option: string): Value | undefined {
    return declared(this.optionsByName, option) as Value | undefined;
  }
}

function declared(values: ReadonlyMap<string, unknown>, name: string): unknown {
  if (!values.has(name)) throw new Error(`The command does not declare "${name}"`);
  return values.get(name);
}
