set local lock_timeout = '5s';

-- An answer of a SAML provider comes in a form of another site, without the cookies of the browser. It is judged at once, and waits here for
-- the browser that began the sign-in.
alter table sso_requests add column answered_at timestamptz, add column answer jsonb;
create index sso_requests_browser on sso_requests (org_id, connection_id, browser_digest);
grant update (answered_at, answer) on sso_requests to weir_app;
