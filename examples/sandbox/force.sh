curl -X DELETE http://127.0.0.1:8080/_sandbox
curl http://127.0.0.1:8080/sms/send -H "Authorization: Bearer secret" -H "Content-Type: application/json" -d '{"recipient":"+15550000402","message":"Hello"}'
curl -X PUT http://127.0.0.1:8080/_sandbox/fault -H "Content-Type: application/json" -d '{"fault":"Response","status":503,"body":"{}","times":1}'
curl http://127.0.0.1:8080/sms/send -H "Authorization: Bearer secret" -H "Content-Type: application/json" -d '{"recipient":"+15551234567","message":"Hello"}'
curl http://127.0.0.1:8080/_sandbox/messages
curl http://127.0.0.1:8080/_sandbox/requests
