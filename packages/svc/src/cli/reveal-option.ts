import type { CommandOption } from './command-declaration.js';

export const revealOption: CommandOption = {
  flags: '--reveal',
  description:
    'show the secrets of the configuration\'s "env", but for write-only ones; the audit log records it',
};
