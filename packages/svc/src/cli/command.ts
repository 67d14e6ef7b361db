import type { CommandDeclaration } from './command-declaration.js';
import type { Context } from './context.js';

/** One command of `svc`. Its name and summary are in `all-commands.ts`. */
export interface Command<Options = unknown> extends CommandDeclaration {
  /** True: an unusable config file is renamed, and the command continues. */
  readonly replacesConfig?: true;
  /** The exit code of every failure and interruption, for a caller that takes others for consent. Absent: that of the failure. */
  readonly failureCode?: number;
  /** Converts the command line to the options of `run`, without any request or question. @throws UsageError */
  read(input: CommandInput): Options;
  /**
   * Runs the command.
   *
   * @returns the exit code; undefined for 0
   * @throws any error: `failures.ts` maps it to an exit code and a line
   */
  run(options: Options, context: Context): Promise<number | void>;
}

/** Passes the type of the options from `read` to `run`. */
export function defineCommand<Options>(command: Command<Options>): Command<Options> {
  return command;
}

/**
 * The arguments and options of a command line, checked against the command's declaration. Reading an undeclared one is
 * a mistake in the program.
 */
export class CommandInput {
  constructor(
    private readonly argumentsByName: ReadonlyMap<string, unknown>,
    /** Options by their long names: `agent-id`. */
    private readonly optionsByName: ReadonlyMap<string, unknown>,
  ) {}

  /** A required argument. */
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

  /** All values of a repeatable option; undefined without any. */
  list(option: string): string[] | undefined {
    return this.value<string[]>(option);
  }

  /** The result of the option's `parse`. */
  value<Value>(option: string): Value | undefined {
    return declared(this.optionsByName, option) as Value | undefined;
  }
}

function declared(values: ReadonlyMap<string, unknown>, name: string): unknown {
  if (!values.has(name)) throw new Error(`The command does not declare "${name}"`);
  return values.get(name);
}
