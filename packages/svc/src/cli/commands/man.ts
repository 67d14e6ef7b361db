import { defineCommand } from '../command.js';
import { UsageError } from '../failures.js';
import { manPage } from '../man-page.js';
import { version } from '../version.js';

export const command = defineCommand({
  arguments: [
    {
      name: 'words',
      description: 'a command, or its first word; absent: all',
      isOptional: true,
      isRepeatable: true,
    },
  ],
  details: 'Writes the manual page in roff to standard output.',
  examples: [
    { command: 'man > ~/.local/share/man/man1/svc.1', explanation: 'man svc then shows it' },
    { command: 'man agents | man -l -', explanation: 'shows the commands of agents, on Linux' },
  ],
  read: (input) => ({ words: input.optionalArgument<string[]>('words') ?? [] }),
  async run({ words }, context) {
    const outline = await context.outline();
    const names = words.length === 0 ? undefined : words.join(' ');
    const isKnown = ({ name }: { readonly name: string }) => name === names || name.startsWith(`${names} `);
    if (names !== undefined && !outline.commands.some(isKnown))
      throw new UsageError(`Unknown command "${names}": see svc --help`);
    context.terminal.print(manPage(outline, version, names));
  },
});
