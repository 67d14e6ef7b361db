// npm run doctor: checks an installation with the service's settings.
import { runCheck } from './check-command.mjs';

await runCheck('dist/src/doctor.js');
