set local lock_timeout = '5s';

-- How far reported tokens and models are taken: as they are, or only where they cost more than was held.
alter table trust_settings
  add column reported_usage text not null default 'accept' check (reported_usage in ('accept', 'raise_only'));
