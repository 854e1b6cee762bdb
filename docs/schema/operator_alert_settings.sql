create table operator_alert_settings (
  operator_id bigint not null,
  sound boolean not null default false,
  notifications boolean not null default false,
  message_text boolean not null default false,
  quiet_from text,
  quiet_to text,
  quiet_timezone text,
  constraint operator_alert_settings_pkey PRIMARY KEY (operator_id),
  constraint operator_alert_settings_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operators(id) ON DELETE CASCADE,
  constraint operator_alert_settings_quiet CHECK ((quiet_from IS NULL) = (quiet_to IS NULL) AND (quiet_from IS NULL) = (quiet_timezone IS NULL) AND quiet_from <> quiet_to)
);
