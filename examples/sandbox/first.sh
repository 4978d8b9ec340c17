curl http://127.0.0.1:8080/sms/send -H "Authorization: Bearer secret" -H "Content-Type: application/json" -d '{"recipient":"+15551234567","message":"Hello"}'
curl "http://127.0.0.1:8080/_sandbox/messages?text=hello"
curl -X PUT http://127.0.0.1:8080/_sandbox/fault -H "Content-Type: application/json" -d '{"fault":"ResetAfterAcceptance","times":1}'
