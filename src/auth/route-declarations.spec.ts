import { Controller, Get } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { Public } from '../access/route-access.js';
import { RouteDeclarations } from './route-declarations.js';

@Controller()
class DeclaredController {
  @Get()
  @Public()
  open(): void {}
}

@Public()
@Controller()
class WhollyDeclaredController {
  @Get()
  open(): void {}
}

@Controller()
class ForgetfulController {
  @Get()
  @Public()
  open(): void {}

  @Get('forgotten')
  forgotten(): void {}
}

async function start(...controllers: (new () => object)[]): Promise<void> {
  const module = await Test.createTestingModule({
    imports: [DiscoveryModule],
    controllers,
    providers: [RouteDeclarations],
  }).compile();
  await module.init();
  await module.close();
}

describe('an application', () => {
  it('starts when each route says who may call it', async () => {
    await expect(start(DeclaredController, WhollyDeclaredController)).resolves.toBeUndefined();
  });

  it('does not start with a route that nobody declared, and names it', async () => {
    await expect(start(DeclaredController, ForgetfulController)).rejects.toThrow(
      'ForgetfulController.forgotten',
    );
  });
});
