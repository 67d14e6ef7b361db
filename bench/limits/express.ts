import express from 'express';
import { makeAllObjectsYoung } from '../../src/config/heap-flags.js';
import { holdTick } from '../../src/http-server/held-tick.js';
import { hello } from './hello.js';

// as the service does
makeAllObjectsYoung();
holdTick();

/** The framework's floor: Express alone, with nothing but its router. */
const app = express();
app.disable('x-powered-by');
// ETags are off, as in the service.
app.disable('etag');
app.get('/', (request, response) => {
  response.json(hello(request.headers.host));
});
app.get('/ready', (_, response) => {
  response.json({ status: 'ready' });
});
app.listen(Number(process.env.PORT), process.env.HOST!);
