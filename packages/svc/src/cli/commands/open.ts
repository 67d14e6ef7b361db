import { openBrowser } from '../browser.js';
import { defineCommand } from '../command.js';
import { UsageError } from '../failures.js';
import { agentArgument, findAgentId } from '../find-agent.js';
import { deploymentArgument, findDeploymentId } from '../find-deployment.js';
import { filled } from '../option-values.js';
import { printDone } from '../output/done.js';
import { webAddress } from '../web-address.js';

export const command = defineCommand({
  arguments: [{ ...agentArgument, isOptional: true }],
  options: [
    {
      flags: '-d, --deployment <deployment>',
      description: deploymentArgument.description,
      completes: 'deployment',
      parse: filled,
    },
  ],
  details:
    "Prints the address of the dashboard's page, and opens it in a browser if there is a terminal and a " +
    'desktop. The service knows the address of its dashboard; SERVICE_WEB_URL or svc context add ' +
    '--web-url sets another one.',
  examples: [
    { command: 'open invoice-reader', explanation: 'the page of an agent' },
    { command: 'open --deployment invoice-reader', explanation: 'the page of its active deployment' },
    { command: 'open', explanation: 'the dashboard' },
  ],
  read(input) {
    const [agent, deployment] = [input.optionalArgument('agent'), input.text('deployment')];
    if (agent !== undefined && deployment !== undefined)
      throw new UsageError('An agent or --deployment: give one of them');
    return { agent, deployment };
  },
  async run({ agent, deployment }, context) {
    let path = '/';
    if (agent !== undefined) path = `/agents/${await findAgentId(context, agent)}`;
    if (deployment !== undefined) path = `/deployments/${await findDeploymentId(context, deployment)}`;
    const url = `${await webAddress(context)}${path}`;
    printDone(context, { url }, url);
    openBrowser(context, url);
  },
});
