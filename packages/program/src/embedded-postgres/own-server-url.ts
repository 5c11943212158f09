/**
 * The URL of the embedded server as its clients have it: without TLS, which it does not speak, whatever DATABASE_SSL_MODE says of others.
 * While it is down another program may listen on its port: that one has to prove that it knows the password, and is never sent it.
 */
export const ownServerUrl = (given: string): string => {
  const url = new URL(given);
  url.searchParams.set('sslmode', 'disable');
  url.searchParams.set('require_auth', 'scram-sha-256');
  return url.href;
};
