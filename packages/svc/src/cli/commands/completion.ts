import { defineCommand } from '../command.js';
import { bashCompletion } from '../completion/bash.js';
import { fishCompletion } from '../completion/fish.js';
import { zshCompletion } from '../completion/zsh.js';

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;

export const command = defineCommand({
  arguments: [{ name: 'shell', description: 'the shell to complete in', choices: Object.keys(SHELLS) }],
  details: 'Writes a script for the shell to standard output.',
  examples: [
    {
      command: 'completion bash > ~/.local/share/bash-completion/completions/svc',
      explanation: 'bash, from its next start on',
    },
    { command: 'completion zsh > ~/.zfunc/_svc', explanation: 'zsh, where ~/.zfunc is in fpath' },
    {
      command: 'completion fish > ~/.config/fish/completions/svc.fish',
      explanation: 'fish',
    },
  ],
  read: (input) => ({ shell: input.argument('shell') as keyof typeof SHELLS }),
  async run({ shell }, context) {
    context.terminal.print(SHELLS[shell](await context.outline()).trimEnd());
  },
});
