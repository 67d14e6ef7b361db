import { ApiProperty } from '@nestjs/swagger';

export class LoginMethodsResponse {
  @ApiProperty({ description: '`POST /auth/login` is open.', example: true })
  password: boolean;

  @ApiProperty({ description: '`POST /auth/register` is open.', example: true })
  registration: boolean;

  @ApiProperty({
    description: "The next account that is registered becomes the operator's: there is none yet.",
    example: false,
  })
  creates_operator: boolean;

  @ApiProperty({ description: '`POST /auth/sso` is open.', example: false })
  sso: boolean;

  @ApiProperty({
    description: 'Groups of the identity provider give roles in projects.',
    example: false,
  })
  groups: boolean;
}

export class SsoFlowResponse {
  @ApiProperty({
    format: 'uri',
    description: "The identity provider's page, for the browser.",
    example: 'https://id.example.com/authorize?client_id=control-plane',
  })
  authorization_url: string;

  @ApiProperty({
    description: 'Finishes the sign-in within ten minutes. A secret of the client that began the sign-in.',
    example: 'eyJhbGciOi...',
  })
  flow: string;
}
