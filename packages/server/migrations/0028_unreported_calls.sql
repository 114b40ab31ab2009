set local lock_timeout = '5s';

-- Reservations that nobody reports, and reports above a limit: what becomes of them.
alter table trust_settings
  add column edge_expiry text not null default 'release' check (edge_expiry in ('release', 'charge')),
  add column over_limit_reports text not null default 'refuse' check (over_limit_reports in ('refuse', 'book'));
