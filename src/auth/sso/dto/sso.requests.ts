import { TextField, WholeNumberField } from '../../../http/request-fields.js';

export class BeginSsoRequest {
  @TextField({
    min: 43,
    max: 43,
    pattern: '^[A-Za-z0-9_-]{43}$',
    description:
      'SHA-256, in base64url, of a random verifier that the client keeps until `finishSso` (PKCE).',
    example: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  })
  code_challenge: string;

  @WholeNumberField({
    min: 1024,
    max: 65535,
    optional: true,
    nullable: true,
    description:
      'Port on which a program waits at `http://127.0.0.1:{port}/callback`. Absent: the dashboard waits.',
    example: 49152,
  })
  loopback_port?: number | null;
}

export class FinishSsoRequest {
  @TextField({ max: 4000, example: 'eyJhbGciOi...' })
  flow: string;

  @TextField({
    min: 43,
    max: 128,
    pattern: '^[A-Za-z0-9._~-]{43,128}$',
    description: 'The verifier that belongs to `code_challenge`.',
    example: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
  })
  code_verifier: string;

  @TextField({
    max: 8000,
    description: 'Query string of the URL to which the provider redirected the browser.',
    example: 'code=9f2c&state=5d1e',
  })
  query: string;
}
