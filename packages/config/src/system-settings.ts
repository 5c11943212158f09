import type { ProcessName } from './variable.ts';
import type { VariableName } from './variables.ts';

/** The processes that read the configuration from a file or the environment and from the database. */
export type SettingsUser = ProcessName;

/** One setting that an administrator may change while the service runs. Its schema, unit and meaning are those of the variable. */
export interface SystemSetting {
  readonly variable: VariableName;
  /** Undefined: it applies at once. Else the processes that take it up when they start the next time. */
  readonly restarts?: readonly SettingsUser[];
}

const live = (variable: VariableName): SystemSetting => ({ variable });
const atStart = (variable: VariableName, restarts: readonly SettingsUser[]): SystemSetting => ({ variable, restarts });

const ALL: readonly SettingsUser[] = ['api', 'ocr-worker', 'watcher', 'sync'];

/**
 * The settings that the database may hold, by their names in /api/settings: the highest layer of the configuration.
 * Choice: no secret, path, address or identity provider is among them, nor who has to sign in. Who may change settings could
 * otherwise read files, send documents elsewhere or let everybody in, which is for those who have the machine.
 */
export const SYSTEM_SETTINGS = {
  rate_limit_enabled: live('RATE_LIMIT_ENABLED'),
  rate_limit_per_minute: live('RATE_LIMIT_PER_MINUTE'),
  rate_limit_burst: live('RATE_LIMIT_BURST'),
  rate_limit_browser_per_minute: live('RATE_LIMIT_BROWSER_PER_MINUTE'),
  rate_limit_uploads_per_minute: live('RATE_LIMIT_UPLOADS_PER_MINUTE'),
  websocket_max_connections: live('WEBSOCKET_MAX_CONNECTIONS'),
  cache_size_mb: live('CACHE_SIZE_MB'),
  cache_ttl: live('CACHE_TTL'),

  max_file_size_mb: live('MAX_FILE_SIZE_MB'),
  max_pdf_size_mb: live('MAX_PDF_SIZE_MB'),
  max_office_document_size_mb: live('MAX_OFFICE_DOCUMENT_SIZE_MB'),
  max_document_pages: live('MAX_DOCUMENT_PAGES'),
  allowed_file_types: live('ALLOWED_FILE_TYPES'),

  ocr_enabled: live('OCR_ENABLED'),
  ocr_language: live('OCR_LANGUAGE'),
  ocr_concurrent_jobs: live('CONCURRENT_OCR_JOBS'),
  ocr_queue_size: live('OCR_QUEUE_SIZE'),
  ocr_timeout_seconds: live('OCR_TIMEOUT_SECONDS'),
  ocr_retry_attempts: live('OCR_RETRY_ATTEMPTS'),
  ocr_retry_delay: live('OCR_RETRY_DELAY'),
  ocr_confidence_threshold: live('OCR_CONFIDENCE_THRESHOLD'),
  ocr_dpi: live('OCR_DPI'),
  ocr_psm: live('OCR_PSM'),
  ocr_oem: atStart('OCR_OEM', ['ocr-worker']),

  watch_interval_seconds: live('WATCH_INTERVAL_SECONDS'),
  file_stability_check_ms: live('FILE_STABILITY_CHECK_MS'),
  max_file_age_hours: live('MAX_FILE_AGE_HOURS'),
  watch_file_patterns: live('WATCH_FILE_PATTERNS'),
  watch_ignore_patterns: live('WATCH_IGNORE_PATTERNS'),
  watch_recursive: atStart('WATCH_RECURSIVE', ['watcher']),
  move_after_processing: atStart('MOVE_AFTER_PROCESSING', ['watcher']),
  storage_scrub_days: live('STORAGE_SCRUB_DAYS'),
  trash_retention_days: live('TRASH_RETENTION_DAYS'),

  source_check_interval: live('SOURCE_CHECK_INTERVAL'),
  sync_parallel_downloads: live('SYNC_PARALLEL_DOWNLOADS'),

  enable_registration: live('ENABLE_REGISTRATION'),
  default_user_role: live('DEFAULT_USER_ROLE'),
  require_email_verification: live('REQUIRE_EMAIL_VERIFICATION'),
  password_min_length: live('PASSWORD_MIN_LENGTH'),
  password_require_special: live('PASSWORD_REQUIRE_SPECIAL'),
  password_require_numbers: live('PASSWORD_REQUIRE_NUMBERS'),
  max_login_attempts: live('MAX_LOGIN_ATTEMPTS'),
  lockout_duration: live('LOCKOUT_DURATION'),
  jwt_expiry_minutes: live('JWT_EXPIRY_MINUTES'),
  api_key_expiry_days: live('API_KEY_EXPIRY_DAYS'),
  session_max_concurrent: live('SESSION_MAX_CONCURRENT'),

  // a user has a setting `notifications_enabled` of their own, which stands beside these
  system_notifications_enabled: live('NOTIFICATIONS_ENABLED'),
  email_enabled: live('EMAIL_ENABLED'),
  email_notification_types: live('EMAIL_NOTIFICATION_TYPES'),
  webhook_enabled: live('WEBHOOK_ENABLED'),

  health_check_interval: live('HEALTH_CHECK_INTERVAL'),
  health_email_alerts: live('HEALTH_EMAIL_ALERTS'),
  cpu_warning_threshold: live('CPU_WARNING_THRESHOLD'),
  memory_warning_threshold: live('MEMORY_WARNING_THRESHOLD'),
  disk_warning_threshold: live('DISK_WARNING_THRESHOLD'),
  metrics_enabled: atStart('METRICS_ENABLED', ALL),
  log_level: live('LOG_LEVEL'),
} as const satisfies Readonly<Record<string, SystemSetting>>;

export type SystemSettingKey = keyof typeof SYSTEM_SETTINGS;

export const SYSTEM_SETTING_KEYS = Object.keys(SYSTEM_SETTINGS) as readonly SystemSettingKey[];

export const isSystemSetting = (key: string): key is SystemSettingKey => Object.hasOwn(SYSTEM_SETTINGS, key);

/** The declaration of a setting, whichever it is. */
export const systemSetting = (key: SystemSettingKey): SystemSetting => SYSTEM_SETTINGS[key];
