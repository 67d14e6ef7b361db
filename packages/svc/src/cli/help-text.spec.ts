import { ALL_COMMANDS } from './all-commands.js';
import { readCommandLine } from './command-line.js';

it('The help of a command wraps its details to the width of the terminal', async () => {
  let help = '';
  const write = (text: string) => void (help += text);
  await readCommandLine(['why', '--help'], ALL_COMMANDS, { width: 60, heading: (text) => text, write });
  const details = help.slice(help.indexOf('Collects'), help.indexOf('Examples:')).split('\n');
  expect(details.length).toBeGreaterThan(4);
  expect(details.filter((line) => line.length > 60)).toEqual([]);
});
