import { defineCommand } from '../command.js';
import { command as deployments } from './deploy/list.js';

export const command = defineCommand({
  ...deployments,
  details: 'The same as svc deploy list, with only the active deployments unless --status asks for others.',
  examples: [
    { command: 'ps', explanation: 'what is deploying, running or ready' },
    { command: 'ps -o wide', explanation: 'with config versions and restarts' },
  ],
  read(input) {
    const { page, given, isWatched } = deployments.read(input);
    return { page, isWatched, given: { ...given, active: given.status === undefined ? true : given.active } };
  },
});
