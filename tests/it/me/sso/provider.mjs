// A real OpenID provider: oidc-provider from npm, with accounts and keys that a test controls.
//
//   node provider.mjs NODE_MODULES '{"clients": [...], "account": {"sub": "1", "email": "..."}, "settings": {...}}'
//
// Prints its port. Everybody who signs in gets the current account without a password; there is none if it is null, as if the
// person pressed Cancel. POST /control changes the account, replaces the keys, or adds a redirect URI to the client.

import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

const [modules, options] = [process.argv[2], JSON.parse(process.argv[3])];
const { default: Provider } = await import(pathToFileURL(join(modules, 'oidc-provider/lib/index.js')).href);

// Nobody reads standard output after the port.
console.info = console.error;

const accounts = new Map();
let account;
let generation = 0;
let issuer;
let provider;

function useAccount(next) {
  account = next;
  if (account) accounts.set(account.sub, account);
}

function key(type, settings, alg) {
  const { privateKey } = generateKeyPairSync(type, settings);
  return { ...privateKey.export({ format: 'jwk' }), alg, use: 'sig', kid: `${alg}-${generation}` };
}

// A new provider with the same accounts, clients and sessions, and with new keys.
function replaceProvider() {
  generation += 1;
  provider = new Provider(issuer, {
    clients: options.clients,
    jwks: { keys: [key('rsa', { modulusLength: 2048 }, 'RS256'), key('ec', { namedCurve: 'P-256' }, 'ES256')] },
    cookies: { keys: ['a key of the tests'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: true } },
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_, id) => accounts.has(id) && { accountId: id, claims: () => accounts.get(id) },
    // Nobody is asked for consent.
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope('openid email groups');
      await grant.save();
      return grant;
    },
    ...options.settings,
  });
}

async function control(request, response) {
  const change = JSON.parse(await text(request));
  if ('account' in change) useAccount(change.account);
  if (change.redirect_uri) options.clients[0].redirect_uris.push(change.redirect_uri);
  if (change.rotate || change.redirect_uri) replaceProvider();
  response.end();
}

async function interact(request, response) {
  const result = account ? { login: { accountId: account.sub } } : { error: 'access_denied' };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
}

const server = createServer((request, response) => {
  const failed = (error) => {
    console.error(error);
    response.writeHead(500).end();
  };
  if (request.url === '/control') control(request, response).catch(failed);
  else if (request.url.startsWith('/interaction/')) interact(request, response).catch(failed);
  else provider.callback()(request, response);
});

server.listen(options.port ?? 0, '127.0.0.1', () => {
  const { port } = server.address();
  issuer = `http://127.0.0.1:${port}`;
  useAccount(options.account ?? null);
  replaceProvider();
  console.log(port);
});
