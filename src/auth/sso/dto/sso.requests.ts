import { TextField, WholeNumberField } from '../../../http/request-fields.js';

export class BeginSsoRequest {
  @WholeNumberField({
    min: 1024,
    max: 65535,
    optional: true,
    nullable: true,
    description:
      'Port on which a program waits at `http://127.0.0.1:{port}/callback`; without it the dashboard waits.',
    example: 49152,
  })
  loopback_port?: number | null;
}

export class FinishSsoRequest {
  @TextField({ max: 4000, example: 'eyJhbGciOi...' })
  flow: string;

  @TextField({
    max: 8000,
    description: 'Query of the address to which the provider sent the browser.',
    example: 'code=9f2c&state=5d1e',
  })
  query: string;
}
