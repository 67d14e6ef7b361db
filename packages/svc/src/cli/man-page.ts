import type { CommandOption, Outline, OutlinedCommand } from './command-declaration.js';

/** A manual page in roff: of all commands, or of those that are given alone. Pure. */
export function manPage({ groups, commands }: Outline, version: string, names?: string): string {
  const shown = names === undefined ? commands : commands.filter(({ name }) => isBelow(name, names));
  const title = ['svc', ...(names?.split(' ') ?? [])].join('-');
  const summary =
    names === undefined
      ? 'the command line of the agent control plane'
      : (groups[names] ?? commands.find(({ name }) => name === names)?.summary ?? '');
  return [
    `.TH "${title.toUpperCase()}" "1" "" "svc ${version}" "Agent control plane"`,
    '.SH NAME',
    `${escaped(title)} \\- ${escaped(summary)}`,
    '.SH COMMANDS',
    ...shown.flatMap(commandLines),
    '.SH EXIT STATUS',
    '0 done, 1 refused or failed, 2 wrong usage, 3 not logged in, 4 the service can\\(aqt be reached, 5 the awaited run did not succeed.',
    '.SH ENVIRONMENT',
    'SERVICE_API_URL is the address of the service, and SERVICE_API_KEY replaces a login.',
  ].join('\n');
}

function isBelow(name: string, names: string): boolean {
  return name === names || name.startsWith(`${names} `);
}

function commandLines(command: OutlinedCommand): string[] {
  const { name, summary, arguments: named = [], options = [], details, examples } = command;
  const words = named.map(({ name: word, isOptional, isRepeatable }) => {
    const shown = isRepeatable ? `${word}...` : word;
    return isOptional ? `[${shown}]` : `<${shown}>`;
  });
  return [
    `.SS "${escaped(['svc', name, ...words].join(' '))}"`,
    `${escaped(summary)}.`,
    ...(details === undefined ? [] : ['.PP', escaped(details)]),
    ...named.flatMap(({ name: word, description }) => [
      '.TP',
      `\\fI${escaped(word)}\\fR`,
      escaped(description),
    ]),
    ...options.flatMap(optionLines),
    ...examples.flatMap(({ command: line, explanation }) => [
      '.TP',
      `\\fB$ svc ${escaped(line)}\\fR`,
      escaped(explanation),
    ]),
  ];
}

function optionLines({ flags, description, choices }: CommandOption): string[] {
  const among = choices ? ` (${choices.join(', ')})` : '';
  return ['.TP', `\\fB${escaped(flags)}\\fR`, escaped(`${description}${among}`)];
}

/** Text of roff: nothing in it is a request, and each dash can be copied. */
function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('"', '\\(dq')
    .replace(/^\./, '\\&.');
}
