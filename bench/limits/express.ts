import express from 'express';
import { hello } from './hello.js';

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
