const NAME_CODES = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL']);
const TLS_CODE = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|HOSTNAME_MISMATCH|EPROTO$)/;

/** What a system error says of the way to a host, in words that end with the way out. `setting` is the variable that names the host. */
export const connectionFailure = (code: string, host: string, setting: string): string => {
  if (NAME_CODES.has(code)) return `is not reachable: unknown host ${host} (${code}). Check ${setting} and DNS.`;
  if (TLS_CODE.test(code))
    return `is not trusted: invalid certificate of ${host} (${code}). Check ${setting}, or add its CA with NODE_EXTRA_CA_CERTS.`;
  return `is not reachable at ${host} (${code}). Check ${setting}, the network and the service.`;
};

/** Whether a connection failed on its certificate: the next try would as well. */
export const isCertificateCode = (code: string): boolean => TLS_CODE.test(code) && code !== 'EPROTO';
