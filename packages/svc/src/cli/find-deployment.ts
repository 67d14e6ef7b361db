import type { Deployment } from '@agent-control-plane/client';
import type { CommandArgument } from './command-declaration.js';
import type { Context } from './context.js';
import { findId, type ResourceKind } from './find-resource.js';
import { filled } from './option-values.js';

export const deploymentArgument: CommandArgument = {
  name: 'deployment',
  description: 'its id, the beginning of its id, or the name of an agent with one (active) deployment',
  completes: 'deployment',
  parse: filled,
};

const ACTIVE: readonly Deployment['status'][] = ['deploying', 'running', 'ready'];

export const deploymentKind: ResourceKind<Deployment> = {
  noun: 'deployment',
  isOfProject: true,
  list: 'svc deploy list',
  async read(context, search, page, signal) {
    const query = { ...search, ...page, project_id: await context.projectId() };
    return context.service().GET('/deployments', { params: { query }, signal });
  },
  nameOf: ({ agent_name: name }) => name,
  describe: ({ agent_name: name, status }) => `${name}, ${status}`,
  isPreferred: ({ status }) => ACTIVE.includes(status),
};

/** @throws CommandFailedError if no deployment or more than one matches */
export function findDeploymentId(context: Context, text: string): Promise<string> {
  return findId(context, deploymentKind, text);
}
