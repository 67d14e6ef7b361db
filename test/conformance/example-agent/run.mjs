// The example agent as a separate process, with the TRAITS of its environment.
import { startExampleAgent } from './example-agent.mjs';

const { TRAITS = '' } = process.env;
const agent = startExampleAgent(process.env, TRAITS.split(' '));
process.on('SIGTERM', () => agent.terminate());
process.exit(await agent.ended);
