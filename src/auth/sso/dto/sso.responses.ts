import { ApiProperty } from '@nestjs/swagger';

export class LoginMethodsResponse {
  @ApiProperty({ description: '`POST /auth/login` is open.', example: true })
  password: boolean;

  @ApiProperty({ description: '`POST /auth/register` is open.', example: true })
  registration: boolean;

  @ApiProperty({
    description: 'True: there is no operator yet; the next account that registers becomes the operator.',
    example: false,
  })
  creates_operator: boolean;

  @ApiProperty({ description: '`POST /auth/sso` is open.', example: false })
  sso: boolean;

  @ApiProperty({
    description: 'Whether groups of the identity provider give roles in projects.',
    example: false,
  })
  groups: boolean;
}

export class SsoFlowResponse {
  @ApiProperty({
    format: 'uri',
    description: "The identity provider's page, to open in the browser.",
    example: 'https://id.example.com/authorize?client_id=control-plane',
  })
  authorization_url: string;

  @ApiProperty({
    description:
      'Needed to finish the sign-in within ten minutes. Secret: keep it in the client that started the sign-in.',
    example: 'eyJhbGciOi...',
  })
  flow: string;
}
