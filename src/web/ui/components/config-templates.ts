/** A template of a config for `svc run`: a command and its environment. Other JSON is for other runtimes. */
export interface ConfigTemplate {
  readonly value: string;
  readonly label: string;
  readonly config: object;
}

export const CONFIG_TEMPLATES: readonly ConfigTemplate[] = [
  {
    value: 'trial',
    label: 'A small program to try things out',
    config: {
      command: [
        'node',
        '-e',
        "let n = 0; setInterval(() => console.log('tick', ++n, process.env.GREETING), 2000)",
      ],
      env: { GREETING: 'hello' },
    },
  },
  {
    value: 'node',
    label: 'A Node.js program',
    config: { command: ['node', 'agent.js'], env: { NODE_ENV: 'production' } },
  },
  {
    value: 'python',
    label: 'A Python program',
    config: { command: ['python3', '-u', 'agent.py'], env: { PYTHONUNBUFFERED: '1' } },
  },
  {
    value: 'container',
    label: 'A container',
    config: { command: ['docker', 'run', '--rm', 'registry.example.com/agent:1.0.0'], env: {} },
  },
  { value: 'empty', label: 'Empty: for your own runtime', config: {} },
];

export const configText = (config: object): string => JSON.stringify(config, null, 2);
