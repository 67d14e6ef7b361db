import { type Command as Program, type CommanderError, Help } from 'commander';
import { didYouMean } from './nearest-name.js';

/**
 * One line about a command line that can't be parsed: commander's message, or a better one for a wrong word, with a hint for help.
 *
 * @param reached the command to which the words have led
 */
export function explained(error: CommanderError, program: Program, reached: Program): string {
  const words = pathOf(reached);
  const names = new Help().visibleCommands(reached).map((it) => it.name());
  const [wrong = ''] = reached.args;
  const known = `One of ${names.join(', ')}; see ${words} --help`;
  switch (error.code) {
    case 'commander.help':
      return `${words} needs a command. ${known}`;
    case 'commander.unknownCommand': {
      const hint = didYouMean(wrong, names);
      // the program itself has too many for one line
      const isShort = hint === '' && reached !== program;
      return `Unknown command "${wrong}"${hint}${isShort ? `. ${known}` : `; see ${words} --help`}`;
    }
    case 'commander.excessArguments':
      return excess(reached, names);
    default:
      return `${sentence(error.message)}; see ${words} --help`;
  }
}

function excess(reached: Program, names: readonly string[]): string {
  const words = pathOf(reached);
  const wrong = reached.args[reached.registeredArguments.length] ?? '';
  if (names.length > 0 && reached.registeredArguments.length === 0) {
    const kinds = names.filter((name) => !names.includes(`${name}s`));
    return `Unknown kind "${wrong}"${didYouMean(wrong, names)}. Kinds: ${kinds.join(', ')}`;
  }
  const one = reached.name().replace(/s$/, '');
  const showsOne = reached.parent?.commands.some((it) => it !== reached && it.name() === one) ?? false;
  const instead = showsOne ? `${pathOf(reached.parent!)} ${one} ${wrong}` : `${words} --help`;
  return `Unexpected argument "${wrong}"; see ${instead}`;
}

/** Commander's message on one line, without its first word. */
function sentence(message: string): string {
  const text = message
    .replace(/^error: /, '')
    .replaceAll(/(?<!\s)\s*\n\s*/g, ' ')
    .replace(/\.$/, '');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function pathOf(command: Program): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}
