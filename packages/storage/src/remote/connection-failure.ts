const NAME_CODES = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL']);
const TLS_CODE = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|HOSTNAME_MISMATCH|EPROTO$)/;

/** What a system error says of the way to a host, in words that end with the way out. `setting` is the variable that names the host. */
export const connectionFailure = (code: string, host: string, setting: string): string => {
  if (NAME_CODES.has(code))
    return `cannot be reached, because the name ${host} is not known (${code}); check ${setting} and the name server`;
  if (TLS_CODE.test(code))
    return `cannot be trusted, because ${host} shows no certificate that is valid for it (${code}); check ${setting}, or make its authority known by NODE_EXTRA_CA_CERTS`;
  return `cannot be reached at ${host} (${code}); check ${setting}, the network and whether the service runs`;
};

/** Whether a connection failed on its certificate: the next try would as well. */
export const isCertificateCode = (code: string): boolean => TLS_CODE.test(code) && code !== 'EPROTO';
