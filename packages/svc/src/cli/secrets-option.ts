import type { CommandOption } from './command-declaration.js';

export const secretsOption: CommandOption = {
  flags: '--show-secrets',
  description: 'show the values of the configuration\'s "env", which may be secrets',
};
