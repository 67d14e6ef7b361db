// npm run audit:data: checks the invariants of a service's data.
import { runCheck } from './check-command.mjs';

await runCheck('dist/src/audit/main.js');
