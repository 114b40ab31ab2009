set local lock_timeout = '5s';

-- What becomes of a request to a model that has no price. An organization that has set a ceiling goes on using it.
alter table price_settings
  add column unpriced text not null default 'refuse'
    constraint price_settings_unpriced_check check (unpriced in ('refuse', 'ceiling', 'estimate'));
update price_settings set unpriced = 'ceiling' where unpriced_ceiling_nano is not null;
