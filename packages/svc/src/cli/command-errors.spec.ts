import { ALL_COMMANDS } from './all-commands.js';
import { readCommandLine } from './command-line.js';

describe('A command line with a wrong word', () => {
  const refusal = (line: string) =>
    readCommandLine(line.split(' '), ALL_COMMANDS).then(
      () => 'accepted',
      (error: Error) => `${error.name}: ${error.message}`,
    );

  it.each([
    [
      'get pods',
      'Unknown kind "pods". Kinds: agents, deployments, runs, schedules, budgets, approvals, pauses, keys, webhooks, projects',
    ],
    ['get deploy', 'Unknown kind "deploy" (did you mean "deployment"?). Kinds: agents, '],
    ['get agnets', 'Unknown kind "agnets" (did you mean "agents"?). Kinds: agents, '],
    ['get agents reader', 'Unexpected argument "reader"; see svc get agent reader'],
    ['agents list reader', 'Unexpected argument "reader"; see svc agents list --help'],
    ['deploy reader writer', 'Unexpected argument "writer"; see svc deploy --help'],
    ['expalin', 'Unknown command "expalin" (did you mean "explain"?); see svc --help'],
    ['frobnicate', 'Unknown command "frobnicate"; see svc --help'],
    ['agents lst', 'Unknown command "lst" (did you mean "list"?); see svc agents --help'],
    ['pauses begin', 'Unknown command "begin". One of list, end; see svc pauses --help'],
    ['pauses', 'svc pauses needs a command. One of list, end; see svc pauses --help'],
    ['get agent', "Missing required argument 'agent'; see svc get agent --help"],
    ['ls --sorrt name', "Unknown option '--sorrt' (Did you mean --sort?); see svc ls --help"],
  ])('names what there is: svc %s', async (line, expected) => {
    expect(await refusal(line)).toContain(`UsageError: ${expected}`);
  });
});
