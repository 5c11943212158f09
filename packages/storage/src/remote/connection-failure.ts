const NAME_CODES = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL']);
const TLS_CODE = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|HOSTNAME_MISMATCH|EPROTO$)/;

/** What a system error says of the way to a host. */
export const connectionReason = (code: string): 'storage_host_unknown' | 'storage_certificate_invalid' | 'storage_unreachable' => {
  if (NAME_CODES.has(code)) return 'storage_host_unknown';
  return TLS_CODE.test(code) ? 'storage_certificate_invalid' : 'storage_unreachable';
};

/** Whether a connection failed on its certificate: the next try would as well. */
export const isCertificateCode = (code: string): boolean => TLS_CODE.test(code) && code !== 'EPROTO';
