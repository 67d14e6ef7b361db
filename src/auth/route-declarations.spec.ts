import { Controller, Get, Post } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { Public, UserRoute } from '../access/route-access.js';
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

@Controller()
class ScopelessController {
  @Get('scopeless')
  @UserRoute({ operator: true })
  read(): void {}
}

@Controller()
class TokenOnlyController {
  @Get('token-only')
  @UserRoute({ tokenOnly: true })
  read(): void {}
}

@Controller()
class ContradictoryController {
  @Get('contradictory')
  @UserRoute({ tokenOnly: true, personal: true, scope: 'read' })
  read(): void {}
}

@Controller()
class PersonalController {
  @Get('personal')
  @UserRoute({ tokenOnly: true, personal: true })
  read(): void {}

  @Get('of-operators')
  @UserRoute({ tokenOnly: true, operator: true })
  list(): void {}
}

@UserRoute({ scope: 'read' })
@Controller()
class ReadingController {
  @Get()
  read(): void {}

  @Post('changing')
  change(): void {}
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

describe('The application', () => {
  it('starts when each route declares its access', async () => {
    await expect(start(DeclaredController, WhollyDeclaredController)).resolves.toBeUndefined();
  });

  it('does not start with an undeclared route, and names the route', async () => {
    await expect(start(DeclaredController, ForgetfulController)).rejects.toThrow(
      'ForgetfulController.forgotten',
    );
  });

  it('does not start with a user route without a scope, and names the route', async () => {
    await expect(start(DeclaredController, ScopelessController)).rejects.toThrow('ScopelessController.read');
  });

  it('starts with a route without a scope that is personal, or for operators', async () => {
    await expect(start(PersonalController)).resolves.toBeUndefined();
  });

  it('does not start with a token-only route that says neither a scope nor that it is personal', async () => {
    await expect(start(TokenOnlyController)).rejects.toThrow('TokenOnlyController.read');
  });

  it('does not start with a personal route that asks for a scope', async () => {
    await expect(start(ContradictoryController)).rejects.toThrow('ContradictoryController.read');
  });

  it('does not start with a changing route that a read scope opens', async () => {
    await expect(start(ReadingController)).rejects.toThrow(
      'Routes with invalid guards: ReadingController.change changes data',
    );
  });
});
